# %%
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
data = load_breast_cancer(as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target, stratify=data.target, random_state=42)
X_train.shape, X_test.shape
# %%
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X_train, y_train)
print(f"accuracy {model.score(X_test, y_test):.3f}")
# %%
from sklearn.metrics import classification_report, confusion_matrix
predicted = model.predict(X_test)
print(classification_report(y_test, predicted, target_names=data.target_names))
# %%
import matplotlib.pyplot as plt
import seaborn as sns
sns.heatmap(confusion_matrix(y_test, predicted), annot=True, fmt="d", cmap="Blues")
plt.xlabel("predicted"); plt.ylabel("true")
plt.savefig("confusion.png")
# %%
import joblib
joblib.dump(model, "model.joblib")
assert (joblib.load("model.joblib").predict(X_test) == predicted).all()
assert model.score(X_test, y_test) > 0.95
