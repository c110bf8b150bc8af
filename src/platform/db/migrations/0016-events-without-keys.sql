-- works with: 11
-- An event tells of a label or milestone that may be gone meanwhile; nothing reads it by them. Without the keys nobody who
-- deletes one waits for those who give it to an issue, or the other way round.
alter table resource_events
  drop constraint resource_events_label_id_fkey,
  drop constraint resource_events_milestone_id_fkey;
