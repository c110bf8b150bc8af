import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, count, flag, idOrPath, integer, nullable, rules, text } from '#platform/http/schema.ts'

export const ByLabel = Type.Object({
  ...ById.properties,
  label_id: idOrPath({ max: 255, description: 'The id or the URL-encoded name of a label.' }),
})

const ancestors = Type.Boolean({ default: true, description: 'Also labels of the groups above.' })

export const LabelScopeParameters = Type.Object({ include_ancestor_groups: ancestors })

export const GroupAround = Type.Object({
  include_ancestor_groups: ancestors,
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

export const Filter = Type.Object({ ...filter, ...LabelScopeParameters.properties })
export const GroupFilter = Type.Object({ ...filter, ...GroupAround.properties })

const name = text({ max: 255, filled: true })
const color = text({ max: 255, filled: true, description: '`#rrggbb` or a CSS color name.' })
const description = nullable(text({ max: 4096 }))
const priority = nullable(count({ description: 'Lower numbers come first; null means no priority.' }))

export const NewGroupLabel = Type.Object({
  name,
  color,
  description: Type.Optional(description),
  archived: Type.Optional(flag()),
})
export const NewProjectLabel = Type.Object({ ...NewGroupLabel.properties, priority: Type.Optional(priority) })

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

export const GroupLabelChanges = Type.Object(changes, rules({ atLeastOneOf: Object.keys(changes) }))
export const ProjectLabelChanges = Type.Object(
  projectChanges,
  rules({ atLeastOneOf: Object.keys(projectChanges) }),
)
export const NamedGroupLabelChanges = Type.Object(
  { ...named, ...changes },
  rules({ exactlyOneOf, atLeastOneOf: Object.keys(changes) }),
)
export const NamedLabelChanges = Type.Object(
  { ...named, ...projectChanges },
  rules({ exactlyOneOf, atLeastOneOf: Object.keys(projectChanges) }),
)
export const NamedLabel = Type.Object(named, rules({ exactlyOneOf }))
