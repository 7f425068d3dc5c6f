"""What XML can name."""

import re
from typing import Final

LOCAL_NAME: Final = re.compile(r"[^\W\d][\w.\-]*\Z")
"""What a property must end in, so that an RDF/XML element can be named after it."""
