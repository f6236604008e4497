# %% Load
import pandas as pd

flowers = pd.read_csv("iris.csv")
print(f"{len(flowers)} flowers, columns: {', '.join(flowers.columns)}")

# %% A mistake: there is no column of that name
means = flowers.groupby("kind").mean()

# %% The state is still there, so the repair starts from it
means = flowers.groupby("species").mean().round(2)
print(means)

# %% A chart
import matplotlib.pyplot as plt

for species, group in flowers.groupby("species"):
    plt.scatter(group.petal_length, group.petal_width, label=species)
plt.xlabel("petal length (cm)")
plt.ylabel("petal width (cm)")
plt.legend()
plt.title("Iris")
plt.savefig("petals.png")
plt.show()

# %% A spreadsheet
means.to_excel("means.xlsx")
print("wrote petals.png and means.xlsx")
