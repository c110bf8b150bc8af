import { type Html, html } from '#platform/http/html.ts'
import { labelLinks, type ShownLabel } from '../frame/labels.ts'
import { pathIn } from '../frame/lists.ts'
import { person, type Person } from '../frame/people.ts'

/** The name of a fact, and what it is; undefined where it is not known. */
export type Fact = readonly [name: string, value: Html | undefined]

/** What is known of something, each with its name. */
export function facts(all: readonly Fact[]): Html | undefined {
  const known = all.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
  if (known.length === 0) return undefined
  return html`<dl class="facts">
    ${known.map(
      ({ name, value }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

interface Item {
  readonly assignees: readonly Person[]
  readonly labels: readonly ShownLabel[]
  readonly milestone: { readonly title: string; readonly web_url: string } | null
}

/** What issues and merge requests have in common. @param list the address of the list that has others like it */
export const factsOfItem = ({ assignees, labels, milestone }: Item, list: string): readonly Fact[] => [
  ['Assigned to', people(assignees)],
  ['Labels', labels.length > 0 ? html`${labelLinks(labels, list)}` : undefined],
  [
    'Milestone',
    milestone === null ? undefined : html`<a href="${pathIn(milestone.web_url)}">${milestone.title}</a>`,
  ],
]

export const people = (all: readonly Person[]): Html | undefined =>
  all.length > 0 ? html`${all.map((one) => html`${person(one)} `)}` : undefined
