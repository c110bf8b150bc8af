import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { UserListed } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { Member } from '#tenancy/members/entity.ts'
import { type Action, asks } from '../frame/action.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { searchField } from '../frame/list-page.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { person } from '../frame/people.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { emptyAsNull, roleOf, roles } from './common-fields.ts'

const PER_PAGE = 20

const Filter = Type.Object({
  page: pageNumber,
  search: Type.Optional(text()),
  with_inherited: Type.Optional(Type.Boolean()),
})

/** Members of a project or group: who they are, in which role, and until when. */
export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups) {
    const word = at.includes('/project/') ? 'project_members' : 'group_members'
    formPage(app, `${at}/${word}`, {
      params: Type.Object(OfContainer),
      querystring: Filter,
      async show({ request, api, params, query, forms }) {
        const container = await open(api, request, params.container)
        const { page, search, with_inherited } = query
        const members = `${container.api}/members${with_inherited === true ? '/all' : ''}`
        const [rights, list] = await Promise.all([
          rightsIn(api, container.api),
          api.list(Member, members, { query: search, page, per_page: PER_PAGE, show_seat_info: true }),
        ])
        const here = container.page(word)
        const kept = { with_inherited: with_inherited === true ? true : undefined }
        const self = request.identity?.user.id
        return {
          title: `Members · ${container.title}`,
          place: container.header('Members'),
          body: html`<h1>Members</h1>
            ${rights.may('admin_member') && html`<div class="buttons">${adding(forms, container.kind, rights)}</div>`}
            ${searchField('Names', here, search, kept)}
            ${choices('Which', [
              { title: `Of the ${container.kind} itself`, address: here, here: with_inherited !== true },
              {
                title: 'With those of the groups around it',
                address: addressOf(here, { with_inherited: true }),
                here: with_inherited === true,
              },
            ])}
            ${
              list.items.length === 0
                ? emptyList(
                    search === undefined || search === ''
                      ? noMembers(container.kind, with_inherited === true)
                      : 'Nobody has such a name.',
                  )
                : html`<ul class="rows">
                    ${list.items.map(
                      (member) =>
                        html`<li>
                          ${memberRow(member)}
                          ${with_inherited !== true && !isBot(member) && changing(forms, member, container.kind, rights, self)}
                        </li>`,
                    )}
                  </ul>`
            }
            ${otherPages(list, page, here, { ...kept, search })}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        const members = `${container.api}/members`
        const one = (id: string) => `${members}/${encodeURIComponent(id)}`
        return {
          add: () => adds(members),
          change: (id) =>
            emptyAsNull(
              asks({ method: 'PUT', path: one(id), says: 'The membership is changed.' }),
              'expires_at',
            ),
          remove: (id) => asks({ method: 'DELETE', path: one(id), says: 'They are no longer a member.' }),
          leave: () =>
            asks({
              method: 'DELETE',
              path: one(String(request.identity?.user.id)),
              says: `You have left ${container.title}.`,
              to: '/dashboard',
            }),
        }
      },
    })
  }
}

/** Those of the groups around are members as well: a list without anybody must not look as if nobody were one. */
const noMembers = (kind: string, withInherited: boolean): string =>
  withInherited
    ? 'There is no member.'
    : `The ${kind} has no members of its own. Those of the groups around it are in the other list.`

/** The membership of a bot comes and goes with its access token: only people take seats. */
const isBot = ({ is_using_seat, state }: Static<typeof Member>): boolean =>
  is_using_seat === false && state === 'active'

/** Somebody is named by people, and numbered by the API. */
const adds =
  (members: string): Action =>
  async (api, { username, expires_at, ...terms }) => {
    const name = typeof username === 'string' ? username.trim().replace(/^@/, '') : ''
    const { items } = await api.list(UserListed, '/users', { username: name })
    const [found] = items
    if (name === '' || found === undefined) throw invalid({ username: ['belongs to nobody here'] })
    const ends = expires_at === '' ? {} : { expires_at }
    await api.send('POST', members, { ...terms, ...ends, user_id: found.id })
    return { says: `${found.name} is a member.`, to: undefined }
  }

function adding(forms: Forms, kind: string, rights: Rights): Html {
  return forms.write({
    does: 'add',
    submit: 'Add',
    opens: 'Add a member…',
    fields: [
      { name: 'username', label: 'User name', required: true, attributes: html`data-people=""` },
      ...termFields(kind, rights, 30, null),
    ],
  })
}

const termFields = (
  kind: string,
  rights: Rights,
  level: number,
  expires_at: string | null,
): readonly Field[] => [
  {
    name: 'access_level',
    label: 'Role',
    is: 'choice',
    value: level,
    options: roles.filter(({ value }) => value === String(level) || mayGive(kind, rights, Number(value))),
  },
  { name: 'expires_at', label: 'Until', is: 'date', hint: 'Empty: without end.', value: expires_at },
]

/** Nobody gives a role above their own. */
const mayGive = (kind: string, rights: Rights, level: number): boolean =>
  level < 50 || kind === 'group' || rights.may('move_project')

const memberRow = (member: Static<typeof Member>): Html =>
  html`<div>
    ${person(member)} <span class="quiet">@${member.username}</span>
    <span class="badge">${roleOf(member.access_level)}</span>
    ${isBot(member) && html`<span class="badge">of an access token</span>`}
    ${member.state !== 'active' && html`<span class="badge">${member.state}</span>`}
    <p class="quiet">
      Since ${member.created_at.slice(0, 10)}${member.expires_at !== null && `, until ${member.expires_at}`}
    </p>
  </div>`

function changing(
  forms: Forms,
  { id, name, access_level, expires_at }: Static<typeof Member>,
  kind: string,
  rights: Rights,
  self: number | undefined,
): Html | undefined {
  if (id === self)
    return forms.write({ does: 'leave', submit: 'Leave', asks: 'You lose what the membership lets you do.' })
  if (!rights.may('admin_member') || !(access_level < 50 || mayGive(kind, rights, 50))) return undefined
  return html`${forms.write({
    does: `change/${id}`,
    submit: 'Save',
    about: `the membership of ${name}`,
    opens: 'Change…',
    looks: 'secondary',
    fields: termFields(kind, rights, access_level, expires_at),
  })}
  ${forms.write({
    does: `remove/${id}`,
    submit: 'Remove',
    about: name,
    asks: `${name} loses what the membership lets them do, also below.`,
  })}`
}
