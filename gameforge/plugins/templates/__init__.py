"""Templates of new plugins (gameforge.plugins.scaffold): the files in `plugin/` are for every kind of component, those
in the other folders for one kind.

`$name`, `$package`, `$component` (the class), `$kind` and `$distribution` are substituted; `package` in the name of a
file stands for the name of the new package.
"""
