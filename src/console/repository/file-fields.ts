import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import type { Field } from '../frame/fields.ts'
import { pageOf } from '../frame/project.ts'
import type { Rights } from '../frame/rights.ts'
import type { WritingPlace } from './file-commits.ts'

/** What every form asks that makes a commit. @param who the username of the visitor */
export function commitFields(place: WritingPlace, message: string, who: string): readonly Field[] {
  const { branch, commit, ref } = place
  const proposed = `${who}-${(commit ?? '').slice(0, 8)}`
  const [value, hint] =
    commit === undefined
      ? [ref, 'The first commit makes this branch.']
      : branch === undefined
        ? [proposed, `A new branch. It begins at ${ref}.`]
        : branch.canPush
          ? [branch.name, 'Another name makes a new branch, which you can then propose to merge.']
          : [
              proposed,
              `You may not push to ${ref}: a new branch begins there, which you can then propose to merge.`,
            ]
  return [
    {
      name: 'commit_message',
      label: 'Commit message',
      is: 'lines',
      value: message,
      required: true,
      attributes: html`rows="3" class="short"`,
    },
    { name: 'branch', label: 'Branch', value, required: true, hint },
  ]
}

export const contentField = (value: string): Field => ({
  name: 'content',
  label: 'Content',
  is: 'lines',
  value,
  attributes: html`class="source" data-code="file_path" rows="24" wrap="off" spellcheck="false"
  autocapitalize="off" autocomplete="off"`,
})

export const pathField = (value: string, hint: string): Field => ({
  name: 'file_path',
  label: 'Path',
  value,
  required: true,
  hint,
  attributes: html`spellcheck="false" autocapitalize="off"`,
})

export const fileField: Field = {
  name: 'file',
  label: 'File',
  is: 'file',
  required: true,
  hint: 'At most 9 MB. Larger ones are pushed with Git.',
}

export const hidden = (name: string, value: string): Field => ({ name, label: '', is: 'hidden', value })

/** What those are told who may not write. */
export const mayNotWrite = (project: EitherProject, rights: Rights): Html =>
  html`<p class="empty">
    You may not change files here.
    ${
      rights.may('fork_project') &&
      html`<a href="${pageOf(project, 'forks/new')}">Fork the project</a> to change them in a copy of your
        own.`
    }
  </p>`
