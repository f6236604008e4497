# covers: python3-pandas python3-openpyxl python3-xlsxwriter python3-xlrd python3-odf python3-tables python3-tabulate python3-sqlalchemy
# %%
import pandas as pd
table = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=6), "n": range(6), "name": list("äb中cde")})
for engine in ("openpyxl", "xlsxwriter"):
    table.to_excel(f"{engine}.xlsx", index=False, engine=engine)
    pd.testing.assert_frame_equal(pd.read_excel(f"{engine}.xlsx"), table, check_dtype=False)
table.to_excel("t.ods", index=False, engine="odf")
assert pd.read_excel("t.ods")["name"].tolist() == table["name"].tolist()
# %%
table.to_hdf("t.h5", key="t", format="table")
pd.testing.assert_frame_equal(pd.read_hdf("t.h5", "t"), table)
# %%
import sqlalchemy
engine = sqlalchemy.create_engine("sqlite:///t.db", future=True)
with engine.connect() as connection:
    connection.execute(sqlalchemy.text("create table t (a integer)"))
    connection.execute(sqlalchemy.text("insert into t values (41)"))
    assert connection.execute(sqlalchemy.text("select a + 1 from t")).scalar() == 42
# %%
import tabulate, xlrd
assert "| b" in tabulate.tabulate([["b", 1]], tablefmt="github")
# Debian's xlrd still reads the newer format too.
assert xlrd.open_workbook("openpyxl.xlsx").sheet_by_index(0).nrows == 7
# %%
assert "| a" in pd.DataFrame({"a": [1]}).to_markdown()
try:
    table.to_parquet("t.parquet")
    assert False, "Debian 12 has no engine for Parquet"
except ImportError as error:
    assert "pyarrow" in str(error)
