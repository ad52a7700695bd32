-- Run by the superuser in a database: makes the role `setup.owner` with the password `setup.password`, and the owner of
-- the database and of the tables and functions in it. Safe to run again, and on a database that the superuser has owned so far.
do $$
declare
  owner_name constant text := current_setting('setup.owner');
  change text;
begin
  if not exists (select from pg_roles where rolname = owner_name) then
    execute format('create role %I', owner_name);
  end if;
  execute format('alter role %I login nosuperuser password %L', owner_name, current_setting('setup.password'));
  execute format('alter database %I owner to %I', current_database(), owner_name);
  execute format('revoke all on database %I from public', current_database());
  execute format('alter schema public owner to %I', owner_name);
  for change in
    select format('alter table %s owner to %I', oid::regclass, owner_name) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
    union all
    select format('alter routine %s owner to %I', p.oid::regprocedure, owner_name) from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute change;
  end loop;
end
$$;
