# covers: python3-docx python3-pypdf python3-pypdf2 python3-reportlab python3-lxml python3-bs4 python3-html5lib python3-yaml python3-jinja2 python3-chardet
# %%
import docx
paper = docx.Document(); paper.add_heading("Bericht", 1); paper.add_paragraph("Grüße, 世界"); paper.save("r.docx")
assert [p.text for p in docx.Document("r.docx").paragraphs] == ["Bericht", "Grüße, 世界"]
# %%
from reportlab.pdfgen import canvas
page = canvas.Canvas("r.pdf"); page.drawString(100, 700, "Quarterly report"); page.showPage(); page.save()
import pypdf
assert "Quarterly report" in pypdf.PdfReader("r.pdf").pages[0].extract_text()
import PyPDF2
assert len(PyPDF2.PdfReader("r.pdf").pages) == 1
# %%
import lxml.etree
assert lxml.etree.fromstring("<a><b n='1'/></a>").xpath("//b/@n") == ["1"]
from bs4 import BeautifulSoup
for parser in ("html.parser", "lxml", "html5lib"):
    assert BeautifulSoup("<p>one<p>two", parser).find_all("p")[1].text == "two"
# %%
import chardet, jinja2, yaml
assert yaml.safe_load("a: [1, 2]") == {"a": [1, 2]}
assert jinja2.Template("{% for i in n %}{{ i }};{% endfor %}").render(n=[1, 2]) == "1;2;"
assert chardet.detect("Ein Satz mit Umlauten: äöüß".encode())["encoding"] == "utf-8"
