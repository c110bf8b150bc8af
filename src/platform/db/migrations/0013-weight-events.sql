-- works with: 11
-- locks tables: before version 1 nobody has many rows here
-- Changes of the weight of an issue.
alter type resource_event_kind add value 'weight' after 'milestone';

-- The conditions name the older kinds alone: a new value cannot be used in the transaction that adds it.
alter table resource_events
  -- Of an event of the kind `weight`: what it became, null when it was taken off.
  add column weight integer,
  drop constraint resource_events_check,
  drop constraint resource_events_check1,
  add constraint resource_events_state_check check ((kind = 'state') = (state is not null)),
  add constraint resource_events_action_check check ((kind in ('label', 'milestone')) = (action is not null)),
  add constraint resource_events_weight_check check (weight is null or kind not in ('state', 'label', 'milestone'));
