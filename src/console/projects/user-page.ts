import { type Static, Type } from 'typebox'
import { Event } from '#activity/events/entity.ts'
import { type UserListed, UserShown } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { eventRow } from '../frame/event-row.ts'
import { ListParts } from '../frame/list-parts.ts'
import { emptyList, NO_MORE, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { projectList } from '../frame/project-list.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'

/** Projects, or events, of somebody that their page shows at once. */
const FEW = { per_page: 20 }

/** Which part of its lists an address shows. */
export const UserParts = Type.Object({ projects: pageNumber, activity: pageNumber })

interface Asked {
  /** The id of the visitor. */
  readonly me: number | undefined
  readonly parts: Static<typeof UserParts>
}

/** Somebody: who they are, the projects of their own, and what they did lately. */
export async function userPage(
  api: Api,
  listed: Static<typeof UserListed>,
  { me, parts }: Asked,
): Promise<View> {
  const { id, name, username } = listed
  const lists = new ListParts(api, `/${username}`, parts)
  // The API shows profiles to people who are signed in.
  const [profile, projects, events] = await Promise.all([
    api.isForSomebody ? api.find(UserShown, path`/users/${id}`) : undefined,
    lists.list('projects', eitherProjectEntity(), path`/users/${id}/projects`, { ...FEW, simple: true }),
    api.isForSomebody ? lists.findList('activity', Event, path`/users/${id}/events`, FEW) : undefined,
  ])
  const body = html`<h1>${name} <span class="quiet">@${username}</span></h1>
    ${profile && aboutThem(profile)}
    ${
      me === id &&
      html`<p class="actions">
        <a class="button secondary" href="/dashboard/snippets">Your snippets</a>
        <a class="button secondary" href="/-/snippets/new">New snippet</a>
      </p>`
    }
    <h2>Projects</h2>
    ${projects.items.length === 0 ? emptyList(projects.others === undefined ? 'There is no project here that you may see.' : NO_MORE) : projectList(projects.items)}
    ${projects.others}
    ${
      events !== undefined &&
      html`<h2>Activity</h2>
        ${
          events.items.length === 0
            ? emptyList(events.others === undefined ? 'There is nothing that you may see.' : NO_MORE)
            : html`<ul class="rows">
                ${events.items.map((event) => html`<li>${eventRow(event)}</li>`)}
              </ul>`
        }
        ${events.others}`
    }`
  return { title: name, feed: `/${username}.atom`, body }
}

function aboutThem(user: Static<typeof UserShown>): Html {
  const website = /^https?:\/\//i.test(user.website_url) ? user.website_url : undefined
  return html`${user.bot && html`<p><span class="badge">bot</span></p>`}
  ${user.bio !== '' && html`<p>${user.bio}</p>`}
  ${facts([
    ['Works as', known(user.job_title)],
    ['At', known(user.organization)],
    ['Lives in', known(user.location)],
    ['Pronouns', known(user.pronouns)],
    [
      'Website',
      website === undefined ? undefined : html`<a href="${website}" rel="nofollow noopener">${website}</a>`,
    ],
    ['Here since', user.created_at === undefined ? undefined : since(user.created_at)],
  ])}`
}

const known = (text: string | null) => (text === null || text === '' ? undefined : html`${text}`)
