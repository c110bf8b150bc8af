import { type Html, html } from '#platform/http/html.ts'
import { type EitherProject, Starrer } from '#tenancy/projects/entity.ts'
import { asks } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { pageOf } from '../frame/project.ts'

/** People whose name or username holds that of the visitor. */
const MOST = 100

/** The username of the visitor, and their id. */
export interface Me {
  readonly id: number
  readonly username: string
}

/** Whether the visitor has starred a project. */
export async function hasStarred(api: Api, project: EitherProject, { id, username }: Me): Promise<boolean> {
  const found = await api.findList(Starrer, path`/projects/${project.id}/starrers`, {
    search: username,
    per_page: MOST,
  })
  return found?.items.some(({ user }) => user.id === id) ?? false
}

/** What somebody does with a project as a whole. */
export const starring = (forms: Forms, project: EitherProject, isStarred: boolean): Html =>
  html`<div class="actions">
    ${
      isStarred
        ? forms.write({ does: 'unstar', submit: 'Take the star back', looks: 'secondary' })
        : forms.write({ does: 'star', submit: 'Star', about: 'the project', looks: 'secondary' })
    }
    ${project.default_branch !== null && html`<a class="button secondary" href="${pageOf(project, 'forks/new')}">Fork</a>`}
    <a class="button secondary" href="${pageOf(project, 'notifications')}">Notifications</a>
  </div>`

export function starActions(project: EitherProject): Actions {
  const posts = (verb: 'star' | 'unstar', says: string) => () =>
    asks({ method: 'POST', path: path`/projects/${project.id}/${verb}`, says })
  return {
    star: posts('star', 'You starred the project.'),
    unstar: posts('unstar', 'Your star is taken back.'),
  }
}
