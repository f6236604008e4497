exec('import os\nos.system(1)')
