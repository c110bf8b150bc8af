import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { Statistics } from '#administration/instance/statistics.ts'
import { Version } from '#administration/instance/version.ts'
import { License } from '#administration/licenses/entity.ts'
import { UserListed } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { nullable } from '#platform/http/schema.ts'
import { facts } from '../items/facts.ts'
import { inWords, titled } from '../parts/words.ts'
import { adminPage, Nothing } from './frame.ts'
import { userRow } from './user-row.ts'

/** New users that the first page shows. */
const FEW = 5

/** What the instance holds, which version it is, and whether it works. */
export const overviewRoutes: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '', 'Overview', {
    params: Nothing,
    querystring: Nothing,
    async show({ api }) {
      const [counts, version, license, users] = await Promise.all([
        api.get(Statistics, '/application/statistics'),
        api.get(Version, '/version'),
        // The hosted offering is licensed in other ways.
        api.find(nullable(License), '/license'),
        api.list(UserListed, '/users', { order_by: 'id', sort: 'desc', humans: true, per_page: FEW }),
      ])
      return {
        title: 'Overview',
        body: html`<h1>Administration</h1>
          <h2>What is here</h2>
          ${facts(holdings(counts))}
          <h2>The program</h2>
          ${facts([
            ['Version', html`Forgelet ${version.revision}`],
            ['API', html`as GitLab ${version.version}`],
            ['Plan', planIn(license)],
          ])}
          <h2>Newest people</h2>
          <ul class="rows">
            ${users.items.map((user) => html`<li>${userRow(user)}</li>`)}
          </ul>
          <p class="actions">
            <a class="button" href="/admin/users/new">New user</a>
            <a class="button secondary" href="/projects/new">New project</a>
            <a class="button secondary" href="/groups/new">New group</a>
          </p>`,
      }
    },
  })

  adminPage(app, '/health_check', 'Health', {
    params: Nothing,
    querystring: Nothing,
    async show() {
      const parts = [...(await app.services.readiness.parts())]
      const isReady = parts.every(([, { status }]) => status !== 'failed')
      return {
        title: 'Health',
        body: html`<h1>Health</h1>
          <p>
            ${isReady ? 'This process takes requests.' : 'This process should get no requests: a part of it does not work.'}
          </p>
          <ul class="rows">
            ${parts.map(
              ([part, { status, message }]) =>
                html`<li>
                  <div>
                    <strong>${titled(part)}</strong>
                    ${message !== undefined && html`<p class="quiet">It ${message}.</p>`}
                  </div>
                  <p class="aside"><span class="ci ${looks[status]}">${inWords(status)}</span></p>
                </li>`,
            )}
          </ul>
          <p class="quiet">
            Load balancers ask <a href="/-/readiness"><code>/-/readiness</code></a
            >, orchestrators <a href="/-/liveness"><code>/-/liveness</code></a
            >, and Prometheus <code>/-/metrics</code>.
          </p>`,
      }
    },
  })
}

const looks = { ok: 'good', degraded: 'warns', failed: 'bad' } as const

/** Where there is a page of what is counted. */
const pages: Readonly<Record<string, string>> = {
  users: '/admin/users',
  active_users: '/admin/users?filter=active',
  groups: '/admin/groups',
  projects: '/admin/projects',
}

const holdings = (counts: Static<typeof Statistics>): readonly (readonly [string, Html])[] =>
  Object.entries(counts).map(([name, count]) => {
    const page = pages[name]
    const shown = page === undefined ? html`${count}` : html`<a href="${page}">${count}</a>`
    return [name === 'ssh_keys' ? 'SSH keys' : titled(name), shown] as const
  })

function planIn(license: Static<typeof License> | null | undefined): Html {
  const plan = license === null || license === undefined || license.expired ? 'free' : license.plan
  return html`<a href="/admin/license">${titled(plan)}</a>`
}
