import type { Static } from 'typebox'
import type { IssueSingle } from '#planning/issues/entity.ts'
import type { Api } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import type { Rights } from '../frame/rights.ts'
import { planningFields } from '../items/planning-fields.ts'

type Issue = Static<typeof IssueSingle>

const types = [
  { value: 'issue', label: 'Issue' },
  { value: 'incident', label: 'Incident' },
  { value: 'task', label: 'Task' },
]

interface Words {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}

/** What everybody may say of an issue. */
const wordFields = ({ title, description }: Words): readonly Field[] => [
  {
    name: 'title',
    label: 'Title',
    value: title,
    required: true,
  },
  { name: 'description', label: 'Description', is: 'markup', hint: 'Markdown.', value: description },
]

/** The fields of a new issue. @param address of the project, in the API */
export async function newIssueFields(
  api: Api,
  address: string,
  rights: Rights,
  words: Words,
): Promise<readonly Field[]> {
  const confidential = {
    name: 'confidential',
    label: 'Confidential',
    is: 'check',
    hint: 'Only its author, assignees, and members from Planner on see it.',
  } as const
  if (!rights.may('plan_new_issue')) return [...wordFields(words), confidential]
  return [
    ...wordFields(words),
    { name: 'issue_type', label: 'Type', is: 'choice', options: types, value: 'issue' },
    confidential,
    ...(await planningFields(api, address)),
    ...dates,
  ]
}

/** The fields of an issue that is there. */
export async function issueFields(
  api: Api,
  address: string,
  rights: Rights,
  issue: Issue,
): Promise<readonly Field[]> {
  if (!rights.may('admin_issue')) return wordFields(issue)
  const [due, weight] = dates
  return [
    ...wordFields(issue),
    { name: 'issue_type', label: 'Type', is: 'choice', options: types, value: issue.issue_type },
    { name: 'confidential', label: 'Confidential', is: 'check', value: issue.confidential },
    {
      name: 'discussion_locked',
      label: 'Only members can comment',
      is: 'check',
      value: issue.discussion_locked === true,
    },
    ...(await planningFields(api, address, issue)),
    { ...due, value: issue.due_date },
    { ...weight, value: issue.weight },
  ]
}

const dates = [
  { name: 'due_date', label: 'Due date', is: 'date' },
  { name: 'weight', label: 'Weight', is: 'number', hint: 'How much work it is, in units of your own.' },
] as const
