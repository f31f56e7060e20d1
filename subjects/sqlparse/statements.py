"""SQL from a seed: every construct that an option of the subject looks at."""

import random

TABLES = ("orders", "customers", "stock", "suppliers", "prices")
COLUMNS = ("id", "name", "amount", "price", "country", "created", "owner", "state")


def generate(seed: int, statements: int) -> str:
    """Return so many statements, always the same for the same `seed`."""
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    makers = (selection, insertion, update, definition)
    return "\n".join(makers[at % len(makers)](chance) for at in range(statements))


def condition(chance: random.Random) -> str:
    """Return a condition of a few comparisons, one of them in brackets."""
    one, two, three = (chance.choice(COLUMNS) for _ in range(3))
    return f"a.{one}>{chance.randrange(99)} and b.{two}<={chance.randrange(99)} or (a.{three}='{'q' * 30}' and b.id is null)"


def selection(chance: random.Random) -> str:
    """Return a query with a join, a nested one and comments."""
    columns = ", ".join(f"a.{chance.choice(COLUMNS)} as c{at}" for at in range(chance.randrange(4, 9)))
    one, two, three = (chance.choice(TABLES) for _ in range(3))
    return (
        f"-- what {one} have in common with {two}\n"  # noqa: S608 - no query
        f"select {columns}, count(*) n, 'a text that is longer than most' from {one} a left join {two} as b "
        f"on a.id=b.{chance.choice(COLUMNS)} /* inner */   where {condition(chance)} "
        f"and a.id in (select id from {three} where state=1) group by a.id, b.name order by n desc;"
    )


def insertion(chance: random.Random) -> str:
    """Return an insertion of several rows."""
    rows = ", ".join(
        f"({chance.randrange(999)}, 'row {at} of a longer list', {chance.random():.3f}*2)" for at in range(6)
    )
    return f"insert into {chance.choice(TABLES)} (id, name, amount) values {rows};"  # noqa: S608 - no query


def update(chance: random.Random) -> str:
    """Return an update with a distinction of cases."""
    table, column = chance.choice(TABLES), chance.choice(COLUMNS)
    return (
        f"update {table} set amount=amount+1,   name=case when {column}>{chance.randrange(99)} then 'large' "  # noqa: S608 - no query
        f"else 'small' end where {column} is not null and price*2<{chance.randrange(99)}; -- once a day"
    )


def definition(chance: random.Random) -> str:
    """Return the definition of a table with comments."""
    columns = ",\n".join(
        f"{name} varchar({chance.randrange(9, 99)}) not null -- at most" for name in COLUMNS[1:6]
    )
    return f"create table {chance.choice(TABLES)} (id int primary key,\n{columns}\n);"
