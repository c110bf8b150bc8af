import { html } from '#platform/http/html.ts'
import { IssueSingle } from '#planning/issues/entity.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, factsOfItem } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { pageOf, projectHeader } from '../frame/project.ts'

/** An issue, and a page of what people said of it and did to it. */
export async function issuePage(api: Api, project: EitherProject, iid: number, page: number): Promise<View> {
  const address = path`/projects/${project.id}/issues/${iid}`
  const [issue, discussions, awards] = await Promise.all([
    api.get(IssueSingle, address),
    discussionsOn(api, issueNoteable, address, page),
    reactionsTo(api, address),
  ])
  const texts = await rendered(api, { path: project.path_with_namespace }, issue.description, discussions)
  const body = html`<article>
    <h1>${issue.title} <span class="quiet">#${issue.iid}</span></h1>
    <p class="quiet">
      <span class="state ${issue.state}">${issue.state === 'opened' ? 'Open' : 'Closed'}</span>
      ${issue.confidential && html`<span class="badge">confidential</span>`} by ${person(issue.author)} ·
      ${since(issue.created_at)}
    </p>
    ${facts([
      ...factsOfItem(issue),
      [
        'Due',
        issue.due_date === null
          ? undefined
          : html`<time datetime="${issue.due_date}">${issue.due_date}</time>`,
      ],
      ['Weight', issue.weight === null ? undefined : html`${issue.weight}`],
    ])}
    ${description(texts)} ${reactions(awards)}
    <section aria-label="Activity">
      ${activity(discussions, texts, issue.user_notes_count)}
      ${discussions && otherPages(discussions, page, pageOf(project, `issues/${iid}`), {})}
    </section>
  </article>`
  return {
    title: `${issue.title} (#${issue.iid}) · ${project.name_with_namespace}`,
    body,
    place: projectHeader(project, 'Issues'),
  }
}
