import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ResourceToken, ResourceTokenWithSecret } from '#identity/tokens/entity.ts'
import { scopeMeanings } from '#platform/access/scope-meanings.ts'
import { isUsed, resourceScopes } from '#platform/access/scopes.ts'
import { html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { otherPages, pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { roleOf, roles, withChosen, withoutEmpty } from './common-fields.ts'
import { makesSecret, section } from './sections.ts'

const HERE = 'settings/access_tokens'

/** Access tokens of projects and groups: each has a bot of its own. */
export const accessTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/${HERE}`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({ page: pageNumber }),
      async show({ request, api, params, query: { page }, forms }) {
        const container = await open(api, request, params.container)
        const [rights, list] = await Promise.all([
          rightsIn(api, container.api),
          api.list(ResourceToken, `${container.api}/access_tokens`, { state: 'active', page }),
        ])
        const mayOwn = container.kind === 'group' || rights.may('move_project')
        return {
          title: `Access tokens · ${container.title}`,
          place: container.header('Access tokens'),
          body: html`<h1>Access tokens</h1>
            ${section({
              title: 'Active tokens',
              about: `For programs. A bot, which is a member of the ${container.kind}, acts with each.`,
              rows: list.items.map(
                ({ id, name, scopes, access_level, expires_at, last_used_at }) =>
                  html`<div>
                      <strong>${name}</strong> <span class="badge">${roleOf(access_level)}</span>
                      <p class="quiet">
                        ${scopes.join(', ')}${expires_at !== null && ` · until ${expires_at}`} ·
                        ${last_used_at === null ? 'never used' : `last used ${last_used_at.slice(0, 10)}`}
                      </p>
                    </div>
                    ${
                      rights.may('end_access_token') &&
                      html`${forms.write({
                        does: `rotate/${id}`,
                        submit: 'Rotate',
                        about: name,
                        asks: 'It gets another secret; the present one stops working.',
                      })}
                      ${forms.write({
                        does: `revoke/${id}`,
                        submit: 'Revoke',
                        about: name,
                        asks: 'Programs that use it are refused from now on.',
                      })}`
                    }`,
              ),
              none: 'No token is active.',
              add:
                rights.may('create_access_token') &&
                forms.write({
                  does: 'create',
                  submit: 'Make the token',
                  opens: 'New token…',
                  fields: [
                    { name: 'name', label: 'Name', required: true },
                    { name: 'description', label: 'Description' },
                    {
                      name: 'expires_at',
                      label: 'Until',
                      is: 'date',
                      hint: 'Empty: as long as the instance allows.',
                    },
                    {
                      name: 'access_level',
                      label: 'Role',
                      is: 'choice',
                      value: 20,
                      options: roles.filter(({ value }) => mayOwn || value !== '50'),
                    },
                    {
                      name: 'scopes',
                      label: 'May',
                      is: 'choices',
                      options: resourceScopes.filter(isUsed).map((scope) => ({
                        value: scope,
                        label: `${scope}: ${scopeMeanings[scope]}`,
                      })),
                    },
                  ],
                }),
            })}
            ${otherPages(list, page, container.page(HERE), {})}`,
        }
      },
      async actions({ request, api, params }) {
        const { api: address } = await open(api, request, params.container)
        const tokens = `${address}/access_tokens`
        const one = (id: string) => `${tokens}/${encodeURIComponent(id)}`
        const fresh = (to: string) =>
          makesSecret(ResourceTokenWithSecret, 'POST', to, ({ name, token }) => ({
            title: html`The token ${name}`,
            label: 'Token',
            secret: token,
          }))
        return {
          create: () => withChosen(withoutEmpty(fresh(tokens), 'expires_at', 'description')),
          rotate: (id) => fresh(`${one(id)}/rotate`),
          revoke: (id) => asks({ method: 'DELETE', path: one(id), says: 'The token is revoked.' }),
        }
      },
    })
}
