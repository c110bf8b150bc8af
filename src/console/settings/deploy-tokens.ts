import type { Static } from 'typebox'
import { deployTokenScopes } from '#platform/access/deploy-token-scopes.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type DeployToken, DeployTokenWithSecret } from '#tenancy/deploy-tokens/entity.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { withChosen, withoutEmpty } from './common-fields.ts'
import { makesSecret, section } from './sections.ts'

/** The deploy tokens of a project or group. */
export const deployTokens = (
  forms: Forms,
  list: ListPart<Static<typeof DeployToken>>,
  rights: Rights,
): Html =>
  section({
    title: 'Deploy tokens',
    about: 'User names with passwords, for programs that read code, packages or images.',
    rows: list.items.map(
      ({ id, name, username, scopes, expires_at, expired }) =>
        html`<div>
            <strong>${name}</strong> ${expired && html`<span class="badge">expired</span>`}
            <p class="quiet">
              <code>${username}</code> ·
              ${scopes.join(', ')}${expires_at !== null && ` · until ${expires_at.slice(0, 10)}`}
            </p>
          </div>
          ${
            rights.may('delete_deploy_token') &&
            forms.write({
              does: `delete-deploy-token/${id}`,
              submit: 'Delete',
              about: name,
              asks: 'Programs that use it are refused from now on.',
            })
          }`,
    ),
    none: 'There is no deploy token.',
    others: list.others,
    add:
      rights.may('create_deploy_token') &&
      forms.write({
        does: 'add-deploy-token',
        submit: 'Make the token',
        opens: 'New deploy token…',
        fields: [
          { name: 'name', label: 'Name', required: true },
          { name: 'username', label: 'User name', hint: 'Empty: one is made up.' },
          { name: 'expires_at', label: 'Until', is: 'date', hint: 'Empty: without end.' },
          {
            name: 'scopes',
            label: 'May',
            is: 'choices',
            options: deployTokenScopes.map((scope) => ({ value: scope, label: scope.replaceAll('_', ' ') })),
          },
        ],
      }),
  })

/** @param address of the project or group, in the API */
export const deployTokenActions = (address: string): Actions => ({
  'add-deploy-token': () =>
    withChosen(
      withoutEmpty(
        makesSecret(
          DeployTokenWithSecret,
          'POST',
          `${address}/deploy_tokens`,
          ({ name, username, token }) => ({
            title: html`The deploy token ${name} of <code>${username}</code>`,
            label: 'Password',
            secret: token,
          }),
        ),
        'username',
        'expires_at',
      ),
    ),
  'delete-deploy-token': (id) =>
    asks({
      method: 'DELETE',
      path: `${address}/deploy_tokens/${encodeURIComponent(id)}`,
      says: 'The deploy token is deleted.',
    }),
})
