-- Run by the superuser in a database: makes the role `setup.owner` with the password `setup.password`, and the owner of
-- the database and of the tables and functions in it. Safe to run again, and on a database that the superuser has owned so far.
do $$
declare
  owner_name constant text := current_setting('setup.owner');
  owner_id oid;
  change text;
begin
  -- Statements on a table queue behind one that waits for its exclusive lock.
  perform set_config('lock_timeout', '1s', true);
  if not exists (select from pg_roles where rolname = owner_name) then
    execute format('create role %I', owner_name);
  end if;
  -- The context of an error, also in the server's log, would quote the statement with its password.
  begin
    execute format('alter role %I login nosuperuser password %L', owner_name, current_setting('setup.password'));
  exception when query_canceled or others then
    raise exception using errcode = sqlstate, message = sqlerrm;
  end;
  execute format('alter database %I owner to %I', current_database(), owner_name);
  execute format('revoke all on database %I from public', current_database());
  execute format('alter schema public owner to %I', owner_name);
  select oid into owner_id from pg_roles where rolname = owner_name;
  -- Setting an owner locks the table exclusively, even when nothing changes.
  for change in
    select format('alter table %s owner to %I', oid::regclass, owner_name) from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm') and relowner <> owner_id
    union all
    select format('alter routine %s owner to %I', p.oid::regprocedure, owner_name) from pg_proc p
    where pronamespace = 'public'::regnamespace and proowner <> owner_id
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute change;
  end loop;
end
$$;
