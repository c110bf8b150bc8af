import type { Static } from 'typebox'
import type { GroupLabel } from '#planning/labels/entity.ts'
import type { Milestone } from '#planning/milestones/entity.ts'
import type { Field } from '../frame/fields.ts'

/** The fields of a milestone. */
export const milestoneFields = (milestone?: Static<typeof Milestone>): readonly Field[] => [
  { name: 'title', label: 'Title', value: milestone?.title, required: true },
  {
    name: 'description',
    label: 'Description',
    is: 'markup',
    hint: 'Markdown.',
    value: milestone?.description,
  },
  { name: 'start_date', label: 'Starts', is: 'date', value: milestone?.start_date },
  { name: 'due_date', label: 'Due', is: 'date', value: milestone?.due_date },
]

/** The fields of a label. */
export const labelFields = (
  name: 'name' | 'new_name',
  label?: Static<typeof GroupLabel>,
): readonly Field[] => [
  { name, label: 'Name', value: label?.name, required: true },
  {
    name: 'color',
    label: 'Color',
    hint: 'As in #6699cc, or the name of a color.',
    value: label?.color ?? '#6699cc',
    required: true,
  },
  { name: 'description', label: 'Description', value: label?.description },
]
