import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { AssociationsCount, Membership, UserAdmin, UserListed } from '#identity/users/entity.ts'
import { roleTitles } from '#platform/access/roles.ts'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { makes } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import { listOf } from '../frame/list-page.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { facts } from '../items/facts.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { adminPage, Nothing } from './frame.ts'
import { accountFields } from './user-fields.ts'
import { userActions, userForms } from './user-forms.ts'
import { userBadges, userPath, userRow } from './user-row.ts'

const HERE = '/admin/users'

/** Choices among the users of the instance: what each asks of the API. */
const filters = {
  '': { title: 'Everybody', query: {} },
  active: { title: 'Active', query: { active: true } },
  admins: { title: 'Administrators', query: { admins: true } },
  not_active: { title: 'Not active', query: { exclude_active: true } },
  blocked: { title: 'Blocked', query: { blocked: true } },
  external: { title: 'External', query: { external: true } },
  without_projects: { title: 'Without projects', query: { without_projects: true } },
  bots: { title: 'Bots', query: { exclude_humans: true } },
} as const
type FilterName = keyof typeof filters
const isFilter = (name: string): name is FilterName => Object.hasOwn(filters, name)

/** The accounts of the instance. */
export const userAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/users', 'Users', {
    params: Nothing,
    querystring: Type.Object({
      search: Type.Optional(text()),
      filter: Type.Optional(text()),
      page: pageNumber,
    }),
    async show({ api, query: { filter = '', search, page } }) {
      const name = isFilter(filter) ? filter : ''
      const here = addressOf(HERE, { filter: name })
      const tabs = choices(
        'Users',
        Object.entries(filters).map(([one, { title }]) => ({
          title,
          address: addressOf(HERE, { filter: one, search }),
          here: one === name,
        })),
      )
      const list = {
        title: 'Users',
        api: '/users',
        query: filters[name].query,
        item: UserListed,
        row: userRow,
        none: 'There is nobody of this kind.',
        search: 'Names, usernames, or a whole email',
        tabs,
        make: { title: 'New user', address: `${HERE}/new` },
      }
      return { title: 'Users', body: await listOf(api, here, list, { page, search }) }
    },
  })

  adminPage(app, '/users/new', 'Users', {
    params: Nothing,
    querystring: Nothing,
    show: async ({ forms }) => ({
      title: 'New user',
      body: html`<h1>New user</h1>
        ${forms.write({
          does: 'create',
          submit: 'Make the account',
          fields: [
            ...accountFields(),
            {
              name: 'password',
              label: 'Password',
              is: 'password',
              hint: 'At least 8 characters. Empty: choose one of the next two.',
            },
            {
              name: 'reset_password',
              label: 'They get a link by mail to set one',
              is: 'check',
              hint: 'Where the instance sends mail.',
            },
            { name: 'force_random_password', label: 'None, until somebody sets one', is: 'check' },
          ],
        })}`,
    }),
    actions: () => ({
      create: () =>
        withoutEmpty(
          makes(UserAdmin, { method: 'POST', path: '/users', says: 'The account is there.' }, userPath),
          'password',
        ),
    }),
  })

  adminPage(app, '/users/:username', 'Users', {
    params: Type.Object({ username: text() }),
    querystring: Type.Object({ page: pageNumber }),
    async show({ request, api, params, query: { page }, forms }) {
      const user = await named(api, params.username)
      const [counts, places] = await Promise.all([
        api.get(AssociationsCount, path`/users/${user.id}/associations_count`),
        api.list(Membership, path`/users/${user.id}/memberships`, { page }),
      ])
      return {
        title: user.name,
        body: html`<h1>${user.name} <span class="quiet">@${user.username}</span></h1>
          <p>${userBadges(user)}</p>
          ${aboutThem(user, counts)}
          <p class="actions"><a class="button secondary" href="/${user.username}">Their page</a></p>
          <h2>Memberships</h2>
          ${
            places.items.length === 0
              ? emptyList('They are a member of no group or project.')
              : html`<ul class="rows">
                  ${places.items.map((place) => html`<li>${membershipRow(place)}</li>`)}
                </ul>`
          }
          ${otherPages(places, page, userPath(user), {})}
          ${userForms(forms, user, { me: request.user().id, today: request.viewer.today })}`,
      }
    },
    async actions({ api, params }) {
      return userActions(await named(api, params.username))
    },
  })
}

/** @throws 404 */
async function named(api: Api, username: string): Promise<Static<typeof UserListed>> {
  const { items } = await api.list(UserListed, '/users', { username })
  const [user] = items
  if (user === undefined) throw notFound()
  return user
}

function aboutThem(
  user: Static<typeof UserListed>,
  counts: Static<typeof AssociationsCount>,
): Html | undefined {
  const when = (moment: string | null | undefined) =>
    moment === null || moment === undefined ? undefined : since(moment)
  return facts([
    ['Id', html`${user.id}`],
    ['Email', html`${user.email}`],
    ['Here since', when(user.created_at)],
    ['Made by', user.created_by == null ? undefined : html`${user.created_by.name}`],
    ['Confirmed', when(user.confirmed_at) ?? html`not yet`],
    ['Last seen', user.last_activity_on == null ? html`never` : html`${user.last_activity_on}`],
    ['Last signed in', when(user.last_sign_in_at)],
    ['From', user.last_sign_in_ip == null ? undefined : html`${user.last_sign_in_ip}`],
    ['Takes a seat of the license', html`${user.using_license_seat === true ? 'yes' : 'no'}`],
    ['Groups', html`${counts.groups_count}`],
    ['Projects', html`${counts.projects_count}`],
    ['Issues', html`${counts.issues_count}`],
    ['Merge requests', html`${counts.merge_requests_count}`],
  ])
}

const membershipRow = ({ source_name, source_type, access_level }: Static<typeof Membership>): Html =>
  html`<div>
      <strong>${source_name}</strong>
      <span class="badge">${source_type === 'Project' ? 'project' : 'group'}</span>
    </div>
    <p class="quiet aside">${roleTitles[access_level] ?? `Level ${access_level}`}</p>`
