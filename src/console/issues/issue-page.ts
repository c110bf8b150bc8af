import type { Static, TObject } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { IssueSingle } from '#planning/issues/entity.ts'
import { RelatedIssue } from '#planning/issues/links/entity.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import type { Visit } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, factsOfItem } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { following } from '../items/following.ts'
import { Talk, type TalkQuery } from '../items/talk.ts'
import { tasksDone } from '../items/tasks.ts'
import { spentOf, timeForms } from '../items/time.ts'
import { linkedIssues } from './links.ts'

type Issue = Static<typeof IssueSingle>
type Asked = Pick<Visit<TObject, typeof TalkQuery>, 'api' | 'forms' | 'request' | 'query'>

/** Where pages of issues are: an incident is an issue with a place of its own. */
export const issuePlaces = [
  { at: 'issues', part: 'Issues' },
  { at: 'issues/incident', part: 'Incidents' },
] as const
type IssuePlace = (typeof issuePlaces)[number]

/** An issue, and a page of what people said of it and did to it. */
export async function issuePage(
  { api, forms, request, query: { page, note } }: Asked,
  project: EitherProject,
  iid: number,
  { at, part }: IssuePlace,
): Promise<View> {
  const address = path`/projects/${project.id}/issues/${iid}`
  const here = pageOf(project, `${at}/${iid}`)
  const [issue, related, discussions, awards, rights] = await Promise.all([
    api.get(IssueSingle, address),
    api.isForSomebody ? api.list(RelatedIssue, `${address}/links`) : undefined,
    discussionsOn(api, issueNoteable, address, page),
    reactionsTo(api, address),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const me = request.identity?.user.id
  const mayEdit = mayChange(rights, issue, me)
  const talk = new Talk(
    forms,
    {
      me,
      mayWrite: rights.may('create_issue_note'),
      mayChangeAll: rights.may('admin_note'),
      mayWriteInternal: rights.may('read_internal_note'),
    },
    { here, page, note },
  )
  const texts = await rendered(api, { path: project.path_with_namespace }, issue.description, discussions)
  const body = html`<article>
    <h1>${issue.title} <span class="quiet">#${issue.iid}</span></h1>
    <p class="quiet">
      <span class="state ${issue.state}">${issue.state === 'opened' ? 'Open' : 'Closed'}</span>
      ${issue.confidential && html`<span class="badge">confidential</span>`} by ${person(issue.author)} ·
      ${since(issue.created_at)}
    </p>
    ${api.isForSomebody && html`<div class="actions">${mayEdit && stateForms(forms, issue.state, pageOf(project, `issues/${iid}/edit`))} ${rights.may('subscribe_issue') && following(forms, issue.subscribed)} ${rights.may('admin_issue') && timeForms(forms, issue.time_stats)}</div>`}
    ${facts([
      ...factsOfItem(issue, pageOf(project, 'issues')),
      [
        'Due',
        issue.due_date === null
          ? undefined
          : html`<time datetime="${issue.due_date}">${issue.due_date}</time>`,
      ],
      ['Weight', issue.weight === null ? undefined : html`${issue.weight}`],
      ['Time', spentOf(issue.time_stats)],
      ['Tasks', tasksDone(issue.task_completion_status)],
    ])}
    ${description(texts, mayEdit)}
    ${linkedIssues(forms, project, related?.items ?? [], rights.may('link_issue'))}
    ${reactions(awards, talk.reacting())}
    <section aria-label="Activity">
      ${activity(discussions, texts, issue.user_notes_count, talk)}
      ${discussions && otherPages(discussions, page, here, {})} ${talk.comment()}
    </section>
  </article>`
  return {
    title: `${issue.title} (#${issue.iid}) · ${project.name_with_namespace}`,
    body,
    place: projectHeader(project, part),
  }
}

/** Whether the visitor may change an issue: theirs, one that is assigned to them, or any. */
export function mayChange(rights: Rights, { author, assignees }: Issue, me: number | undefined): boolean {
  const isOwn = author.id === me || assignees.some(({ id }) => id === me)
  return rights.may('admin_issue') || (isOwn && rights.may('edit_issue'))
}

const stateForms = (forms: Forms, state: Issue['state'], edit: string): Html =>
  html`<a class="button secondary" href="${edit}">Change</a> ${
      state === 'opened'
        ? forms.write({ does: 'close', submit: 'Close', about: 'the issue', looks: 'secondary' })
        : forms.write({ does: 'reopen', submit: 'Open again', about: 'the issue', looks: 'secondary' })
    }`
