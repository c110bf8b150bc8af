-- works with: 50
-- What a webhook is told of a thing that may be gone, or have another name, when the payload is made. A function, because
-- PostgreSQL sets up what it asks at every call of the statement that records domain events, wanted or not; this runs for
-- wanted ones alone. PostgreSQL does not merge functions with such queries into their callers.
create function hook_seen(target_type text, target_id bigint) returns jsonb language sql stable as $$
  select case target_type
    when 'Issue' then (select jsonb_build_object('confidential', i.confidential) from issues i where i.id = target_id)
    when 'Note' then (select jsonb_build_object('confidential', x.internal or coalesce(i.confidential, false))
      from notes x left join issues i on i.id = x.noteable_id where x.id = target_id)
    when 'User' then (select jsonb_build_object('name', u.name, 'username', u.username,
        'email', coalesce(u.public_email, '[REDACTED]'), 'state', u.state, 'created_at', u.created_at,
        'updated_at', u.updated_at) from users u where u.id = target_id)
    when 'Project' then (select jsonb_build_object('name', o.name, 'path', o.full_path, 'visibility', o.visibility,
        'namespace_id', o.id, 'created_at', o.created_at, 'updated_at', o.updated_at)
      from projects p join namespaces o on o.id = p.project_namespace_id where p.id = target_id)
    when 'Group' then (select jsonb_build_object('name', o.name, 'path', o.full_path, 'visibility', o.visibility,
        'namespace_id', o.id, 'created_at', o.created_at, 'updated_at', o.updated_at)
      from namespaces o where o.id = target_id)
  end
$$;
