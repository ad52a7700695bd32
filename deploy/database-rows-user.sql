-- Run by the superuser in a database, after database-users.sql: makes the role `setup.user` with the password
-- `setup.user_password`, who reads and writes the rows of the tables that `setup.owner` has or will make. Safe to run again.
do $$
declare
  owner_name constant text := current_setting('setup.owner');
  user_name constant text := current_setting('setup.user');
begin
  if not exists (select from pg_roles where rolname = user_name) then
    execute format('create role %I', user_name);
  end if;
  -- The context of an error, also in the server's log, would quote the statement with its password.
  begin
    execute format('alter role %I login nosuperuser nocreatedb nocreaterole password %L',
      user_name, current_setting('setup.user_password'));
  exception when query_canceled or others then
    raise exception using errcode = sqlstate, message = sqlerrm;
  end;
  execute format('grant connect on database %I to %I', current_database(), user_name);
  execute format('grant usage on schema public to %I', user_name);
  execute format('grant select, insert, update, delete on all tables in schema public to %I', user_name);
  execute format('grant usage on all sequences in schema public to %I', user_name);
  execute format('grant execute on all functions in schema public to %I', user_name);
  execute format('alter default privileges for role %I in schema public grant select, insert, update, delete on tables to %I',
    owner_name, user_name);
  execute format('alter default privileges for role %I in schema public grant usage on sequences to %I',
    owner_name, user_name);
  execute format('alter default privileges for role %I in schema public grant execute on functions to %I',
    owner_name, user_name);
end
$$;
