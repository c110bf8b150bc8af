import type { Static } from 'typebox'
import type { UserOfMine, UserStatus } from '#identity/users/entity.ts'
import { clearings } from '#identity/users/set-status.ts'
import type { Field } from '../frame/fields.ts'
import { titled } from '../parts/words.ts'

/** What somebody tells about themselves. */
export const profileFields = (user: Static<typeof UserOfMine>): readonly Field[] => [
  { name: 'name', label: 'Name', value: user.name, required: true },
  { name: 'pronouns', label: 'Pronouns', value: user.pronouns },
  { name: 'bio', label: 'About you', is: 'lines', value: user.bio, hint: 'At most 255 characters.' },
  { name: 'job_title', label: 'What you work as', value: user.job_title },
  { name: 'organization', label: 'Where you work', value: user.organization },
  { name: 'location', label: 'Where you live', value: user.location },
  { name: 'website_url', label: 'Website', is: 'url', value: user.website_url },
  { name: 'github', label: 'GitHub', value: user.github },
  { name: 'linkedin', label: 'LinkedIn', value: user.linkedin },
  { name: 'twitter', label: 'X', value: user.twitter },
  { name: 'discord', label: 'Discord', value: user.discord },
  {
    name: 'private_profile',
    label: 'Keep my profile private',
    is: 'check',
    value: user.private_profile,
    hint: 'Others see your name, and nothing else of this.',
  },
]

/** What somebody does at the moment. */
export const statusFields = (status: Static<typeof UserStatus>): readonly Field[] => [
  { name: 'message', label: 'Message', value: status.message, hint: 'What you do at the moment.' },
  { name: 'emoji', label: 'Emoji', value: status.emoji, hint: 'Its name, such as coffee or palm_tree.' },
  {
    name: 'availability',
    label: 'Availability',
    is: 'choice',
    value: status.availability,
    options: [
      { value: 'not_set', label: 'There' },
      { value: 'busy', label: 'Busy' },
    ],
  },
  {
    name: 'clear_status_after',
    label: 'Clear it after',
    is: 'choice',
    value: '',
    options: [{ value: '', label: 'Never' }, ...clearings.map((value) => ({ value, label: titled(value) }))],
  },
]
