-- works with: 11
-- What grows for ever is kept in partitions by month, so that what is too old goes as a whole; see retention/.

create schema partitions;

-- Makes the partitions of a table for this month and the following ones, as far as they are not there, and answers the
-- names of the new ones. Rows that came while there was no partition for their month are in the default partition; such
-- a month gets none any more.
create function make_partitions(parent text, ahead integer) returns setof text language plpgsql as $$
declare
  month timestamp;
  first timestamptz;
  after_last timestamptz;
  name text;
  taken boolean;
begin
  for n in 0..ahead loop
    month := date_trunc('month', now() at time zone 'UTC') + make_interval(months => n);
    first := month at time zone 'UTC';
    after_last := (month + interval '1 month') at time zone 'UTC';
    name := parent || to_char(month, '"_"YYYY"_"MM');
    continue when to_regclass(format('partitions.%I', name)) is not null;
    execute format('select exists (select from partitions.%I where recorded_at >= %L and recorded_at < %L)',
      parent || '_default', first, after_last) into taken;
    continue when taken;
    -- Made first and attached then: that way others may go on reading and writing the table.
    execute format('create table partitions.%I (like public.%I including defaults)', name, parent);
    execute format('alter table public.%I attach partition partitions.%I for values from (%L) to (%L)',
      parent, name, first, after_last);
    return next name;
  end loop;
end
$$;
