# %%
import base64
from IPython.display import Image, display
png = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
display(Image(png))
# %%
display({"image/png": base64.b64encode(png).decode(), "text/plain": "a dot"}, raw=True)
# %%
from PIL import Image as Picture
import io
buffer = io.BytesIO()
Picture.new("RGB", (4, 4), "red").save(buffer, "jpeg")
display(Image(buffer.getvalue(), format="jpeg"))
# %%
Picture.new("RGB", (4, 4), "red")
