import type { Static } from 'typebox'
import type { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import type { Field } from '../frame/fields.ts'

/** The fields with which somebody changes a merge request. @param planning those of members */
export const editFields = (
  one: Static<typeof MergeRequestSingle>,
  planning: readonly Field[],
): readonly Field[] => [
  {
    name: 'title',
    label: 'Title',
    value: one.title,
    required: true,
    hint: 'It is a draft as long as it begins with “Draft:”.',
  },
  {
    name: 'description',
    label: 'Description',
    is: 'markup',
    hint: 'Markdown.',
    value: one.description,
  },
  {
    name: 'target_branch',
    label: 'The branch that gets the changes',
    value: one.target_branch,
    required: true,
  },
  ...planning,
]
