#include <unistd.h>

#include "absl/strings/match.h"
#include "tests/support/catch.h"
#include "tools/cli/files/name_pair.h"
#include "tools/cli/input/cells.h"
#include "tools/cli/input/completeness.h"
#include "tools/cli/session_flags.h"

namespace cellblock::cli {
namespace {

TEST_CASE("a plain script is one cell, byte for byte") {
  const auto cells = SplitScript("x = 1\n#%%no mark\nprint(x)\n", "a.py");
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].code == "x = 1\n#%%no mark\nprint(x)\n");
  CHECK(cells[0].name == "a.py");
  CHECK(SplitScript("", "a.py").size() == 1);
}

TEST_CASE("marks split a script and line numbers stay the file's") {
  const auto cells = SplitScript(
      "# title\n\n# %% first\nx = 1\n#%%\n# nothing\n# %% [markdown]\n# text\n# %%\ny\n", "a.py");
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].code == "#\n#\n# %% first\nx = 1");
  CHECK(cells[0].name == "a.py cell 1");
  CHECK(absl::EndsWith(cells[1].code, "#\n# %%\ny\n"));
  CHECK(std::count(cells[1].code.begin(), cells[1].code.end(), '\n') == 10);
}

TEST_CASE("code before the first mark is a cell, a cell magic stands first") {
  const auto cells = SplitScript("x = 1\n# %%\n\n%%time\nx\n", "a.py");
  REQUIRE(cells.size() == 2);
  CHECK(cells[0].code == "x = 1");
  CHECK(cells[1].code == "%%time\nx\n");
}

TEST_CASE("a notebook gives its code cells") {
  const auto cells = ReadNotebook(
      R"({"cells":[{"cell_type":"markdown","source":["# t"]},
          {"cell_type":"code","source":["a = 1\n","a"]},
          {"cell_type":"raw","source":"r"},
          {"cell_type":"code","source":"  \n"},
          {"cell_type":"code","source":"b"}],"nbformat":4})",
      "n.ipynb");
  REQUIRE(cells.ok());
  REQUIRE(cells->size() == 2);
  CHECK((*cells)[0].code == "a = 1\na");
  CHECK((*cells)[0].name == "n.ipynb cell 2");
  CHECK((*cells)[0].from_notebook);
  CHECK((*cells)[1].code == "b");
}

TEST_CASE("what is no notebook is refused, whatever it is") {
  for (const char* text :
       {"", "{", "[]", "3", "{}", R"({"cells":{}})", R"({"cells":[3]})",
        R"({"cells":[{"cell_type":"code"}]})", R"({"cells":[{"cell_type":"code","source":3}]})",
        R"({"cells":[{"cell_type":"code","source":[3]}]})"}) {
    CAPTURE(text);
    CHECK(absl::IsInvalidArgument(ReadNotebook(text, "n").status()));
  }
}

TEST_CASE("whether more lines must follow") {
  for (const char* whole :
       {"1+1\n", "x = [1,\n 2]\n", "\n", "if x:\n  y\n\n", "'#' # (\n", "'''a\nb'''\n",
        "d = {1: 2}\n", "x = 'a\\'b'\n", "f(\n\n)\n", "%%time\nx\n\n", "x[1:]\n", "print(':')\n"}) {
    CAPTURE(whole);
    CHECK_FALSE(NeedsMoreLines(whole));
  }
  for (const char* open :
       {"if x:\n", "def f(a,\n", "x = '''\n", "x = \\\n", "@decorated\n", "if x:\n  y\n",
        "%%bash\n", "f(\n\n", "class A: # note\n", "for i in x:\n  if i:\n    y\n"}) {
    CAPTURE(open);
    CHECK(NeedsMoreLines(open));
  }
}

TEST_CASE("times have units or are seconds") {
  CHECK(*ParseTime("30s") == absl::Seconds(30));
  CHECK(*ParseTime("45") == absl::Seconds(45));
  CHECK(*ParseTime("1h30m") == absl::Minutes(90));
  CHECK(*ParseTime("250ms") == absl::Milliseconds(250));
  for (const char* wrong : {"", "x", "-1s", "0", "0s", "inf", "1 s", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK(absl::IsInvalidArgument(ParseTime(wrong).status()));
  }
}

TEST_CASE("a pair of names splits at the last colon") {
  CHECK(ParseNamePair("data/x.csv")->to == "x.csv");
  CHECK(ParseNamePair("data/x.csv")->from == "data/x.csv");
  CHECK(ParseNamePair("a:b.csv")->to == "b.csv");
  CHECK(ParseNamePair("a:b:c")->from == "a:b");
  CHECK_FALSE(ParseNamePair("").ok());
  CHECK_FALSE(ParseNamePair("a:").ok());
  CHECK_FALSE(ParseNamePair(":a").ok());
  CHECK_FALSE(ParseNamePair("folder/").ok());
}

}  // namespace
}  // namespace cellblock::cli
