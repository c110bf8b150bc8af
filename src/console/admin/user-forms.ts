import type { Static } from 'typebox'
import { UserAdmin, type UserListed } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { daysAfter } from '#platform/http/time.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { emptyAsNull, withoutEmpty } from '../settings/common-fields.ts'
import { accountFields, furtherFields } from './user-fields.ts'
import { userPath } from './user-row.ts'

type Listed = Static<typeof UserListed>

/** What changes whether an account may be used: from which states, and what that means. */
const moves = {
  approve: {
    from: ['blocked_pending_approval'],
    submit: 'Approve',
    about: 'They can sign in from now on.',
    says: 'They are approved.',
  },
  unblock: {
    from: ['blocked'],
    submit: 'Unblock',
    about: 'They can sign in again.',
    says: 'They are unblocked.',
  },
  unban: {
    from: ['banned'],
    submit: 'Lift the ban',
    about: 'They can sign in again.',
    says: 'The ban is lifted.',
  },
  activate: {
    from: ['deactivated'],
    submit: 'Activate',
    about: 'They can use the account again.',
    says: 'They are active again.',
  },
  deactivate: {
    from: ['active'],
    submit: 'Deactivate',
    about: 'For people who are away. They keep what they have, and come back by signing in.',
    says: 'They are deactivated.',
  },
  block: {
    from: ['active', 'deactivated'],
    submit: 'Block',
    about: 'They can use nothing, and stay where they are.',
    says: 'They are blocked.',
  },
  ban: {
    from: ['active'],
    submit: 'Ban',
    about: 'They can use nothing, and what they wrote is hidden.',
    says: 'They are banned.',
  },
} as const

/** Days for which somebody must have been away before the API deactivates them. */
const AWAY = 90

/** Whether the API would deactivate somebody: they have not been here lately. */
function isAway({ last_activity_on, current_sign_in_at }: Listed, today: string): boolean {
  const since = daysAfter(today, -AWAY)
  return [last_activity_on, current_sign_in_at].every((day) => day == null || day.slice(0, 10) <= since)
}

/** What an administrator does about an account. @param me the id of the administrator */
export function userForms(
  forms: Forms,
  user: Listed,
  { me, today }: { readonly me: number; readonly today: string },
): Html {
  const isSomebodyElse = user.id !== me
  return html`<h2>Account</h2>
    ${forms.write({
      does: 'save',
      submit: 'Save',
      about: 'the account',
      changes: true,
      fields: [...accountFields(user), ...furtherFields(user)],
    })}
    <h2>Password</h2>
    ${forms.write({
      does: 'password',
      submit: 'Set the password',
      fields: [
        {
          name: 'password',
          label: 'New password',
          is: 'password',
          hint: 'At least 8 characters.',
          required: true,
        },
      ],
    })}
    <div class="actions">
      ${forms.write({ does: 'reset', submit: 'Send a link', asks: 'They have no password until they set one, by a link that they get by mail.' })}
    </div>
    ${
      isSomebodyElse &&
      html`<h2>Use of the account</h2>
        <div class="actions">
          ${Object.entries(moves)
            .filter(([, { from }]) => from.some((state) => state === user.state))
            .filter(([does]) => does !== 'deactivate' || isAway(user, today))
            .map(([does, { submit, about }]) => forms.write({ does, submit, about: user.name, asks: about }))}
          ${
            user.state === 'blocked_pending_approval' &&
            forms.write({
              does: 'reject',
              submit: 'Reject',
              about: user.name,
              asks: 'The account is deleted.',
            })
          }
        </div>
        <h2>Delete</h2>
        ${forms.write({
          does: 'delete',
          submit: 'Delete',
          about: user.name,
          asks: 'The account goes for good.',
          fields: [
            {
              name: 'hard_delete',
              label: 'What they wrote',
              is: 'choice',
              options: [
                { value: 'false', label: 'Stays, as that of a ghost' },
                { value: 'true', label: 'Goes too, with groups that nobody else owns' },
              ],
            },
          ],
        })}`
    }`
}

export function userActions(user: Listed): Actions {
  const address = path`/users/${user.id}`
  const changes = (says: string) => ({ method: 'PUT', path: address, says }) as const
  return {
    save: () =>
      emptyAsNull(
        makes(
          UserAdmin,
          { ...changes('The account is changed.'), also: { skip_reconfirmation: true } },
          userPath,
        ),
        'note',
      ),
    password: () => withoutEmpty(asks(changes('The password is set.')), 'password'),
    reset: () => asks({ ...changes('They get a link by mail.'), also: { reset_password: true } }),
    ...Object.fromEntries(
      Object.entries(moves).map(([does, { says }]) => [
        does,
        () => asks({ method: 'POST', path: `${address}/${does}`, says }),
      ]),
    ),
    reject: () =>
      asks({
        method: 'POST',
        path: `${address}/reject`,
        says: 'They are rejected, and the account is gone.',
        to: '/admin/users',
      }),
    delete: () => deletes(address),
  }
}

const deletes =
  (address: string): Action =>
  async (api, { hard_delete }) => {
    await api.send(
      'DELETE',
      `${address}?hard_delete=${encodeURIComponent(typeof hard_delete === 'string' ? hard_delete : '')}`,
    )
    return { says: 'The account is deleted.', to: '/admin/users' }
  }
