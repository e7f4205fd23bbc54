"""`python -m dalembert` is the command line."""

import sys

from dalembert.cli import main

sys.exit(main())
