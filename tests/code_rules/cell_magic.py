%%bash
ls
