-- works with: 11
-- locks tables: before version 1 nobody has many rows here
-- Developers read what they did themselves, among all that was done to a project or group.
create index audit_events_own on audit_events (entity_type, entity_id, author_id, id);
