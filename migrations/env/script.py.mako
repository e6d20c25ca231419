"""${message}."""

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}

# "expand": processes of the version before this one go on working on the changed database: it adds
# tables, columns with a default, indexes. "contract": they do not; it takes away or renames what
# they use. A change that needs both is two migrations, in two releases.
PHASE = "contract"


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}
