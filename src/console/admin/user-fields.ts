import type { Static } from 'typebox'
import type { UserListed } from '#identity/users/entity.ts'
import type { Field } from '../frame/fields.ts'

/** What an account says of somebody, and what they may do on the instance. */
export const accountFields = (user?: Static<typeof UserListed>): readonly Field[] => [
  { name: 'name', label: 'Name', value: user?.name, required: true },
  { name: 'username', label: 'Username', value: user?.username, required: true },
  {
    name: 'email',
    label: 'Email',
    is: 'email',
    value: user?.email,
    required: true,
    hint: user === undefined ? undefined : 'A new one counts at once.',
  },
  {
    name: 'admin',
    label: 'Administrator',
    hint: 'Sees and changes everything, and this page.',
    is: 'check',
    value: user?.is_admin ?? false,
  },
  {
    name: 'external',
    label: 'External',
    hint: 'Sees nothing internal, and makes neither top-level groups nor projects of their own.',
    is: 'check',
    value: user?.external ?? false,
  },
]

/** What only changes of an account offer. */
export const furtherFields = (user: Static<typeof UserListed>): readonly Field[] => [
  {
    name: 'can_create_group',
    label: 'May make top-level groups',
    is: 'check',
    value: user.can_create_group,
  },
  { name: 'private_profile', label: 'Their profile is private', is: 'check', value: user.private_profile },
  {
    name: 'projects_limit',
    label: 'Projects of their own, at most',
    is: 'number',
    value: user.projects_limit,
    required: true,
  },
  { name: 'note', label: 'Note', hint: 'Only administrators see it.', is: 'lines', value: user.note },
]
