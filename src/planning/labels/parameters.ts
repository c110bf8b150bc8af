import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, count, flag, idOrPath, integer, nullable, rules, text } from '#platform/http/schema.ts'

export const ByLabel = Type.Object({
  ...ById.properties,
  label_id: idOrPath({ max: 255, description: 'The id or the URL-encoded name of a label.' }),
})

const ProjectScope = Type.Object({
  include_ancestor_groups: Type.Boolean({ default: true, description: 'Also labels of the groups above.' }),
})

const GroupScope = Type.Object({
  ...ProjectScope.properties,
  include_descendant_groups: Type.Boolean({
    default: false,
    description: 'Also labels of the groups below.',
  }),
  only_group_labels: Type.Boolean({ default: true, description: 'Whether to leave out labels of projects.' }),
})

const filter = {
  ...pageParameters,
  with_counts: Type.Boolean({
    default: false,
    description:
      'Adds the numbers of issues and merge requests with the label that you can see. At most 10,001 issues of ' +
      'a label are counted.',
  }),
  search: Type.Optional(text({ description: 'Part of the name or description.' })),
  archived: Type.Optional(flag({ description: '`true` for archived labels only, `false` for all others.' })),
}

const name = text({ max: 255, filled: true })
const color = text({ max: 255, filled: true, description: '`#rrggbb` or a CSS color name.' })
const description = nullable(text({ max: 4096 }))
const priority = nullable(count({ description: 'Lower numbers come first; null means no priority.' }))

const newLabel = {
  name,
  color,
  description: Type.Optional(description),
  archived: Type.Optional(flag()),
}

const changes = {
  new_name: Type.Optional(name),
  color: Type.Optional(color),
  description: Type.Optional(description),
  archived: Type.Optional(flag()),
}
const projectChanges = { ...changes, priority: Type.Optional(priority) }

/** The older forms name the label among the parameters. */
const named = { name: Type.Optional(text()), label_id: Type.Optional(integer()) }
const exactlyOneOf = ['label_id', 'name']
export const LabelByIdOrName = Type.Object(named, rules({ exactlyOneOf }))

/** The parameters of labels of groups. */
export const groupLabels = {
  Scope: GroupScope,
  Filter: Type.Object({ ...filter, ...GroupScope.properties }),
  NewLabel: Type.Object(newLabel),
  Changes: Type.Object(changes, rules({ atLeastOneOf: Object.keys(changes) })),
  NamedChanges: Type.Object(
    { ...named, ...changes },
    rules({ exactlyOneOf, atLeastOneOf: Object.keys(changes) }),
  ),
}

/** Those of labels of projects, which have priorities. */
export const projectLabels = {
  Scope: ProjectScope,
  Filter: Type.Object({ ...filter, ...ProjectScope.properties }),
  NewLabel: Type.Object({ ...newLabel, priority: Type.Optional(priority) }),
  Changes: Type.Object(projectChanges, rules({ atLeastOneOf: Object.keys(projectChanges) })),
  NamedChanges: Type.Object(
    { ...named, ...projectChanges },
    rules({ exactlyOneOf, atLeastOneOf: Object.keys(projectChanges) }),
  ),
}
