import { filled, type Person, trailers } from '../merge/templates.ts'

/** What the message of a commit that applies suggestions is made of. */
interface SuggestionContext {
  readonly branch: string
  readonly paths: readonly string[]
  readonly count: number
  readonly project: { readonly name: string; readonly full_path: string }
  /** Who applies them. */
  readonly user: Person & { readonly username: string }
  /** Who else suggested them. */
  readonly others: readonly Person[]
}

export const SUGGESTION_TEMPLATE =
  'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}'

const variables: Readonly<Record<string, (context: SuggestionContext) => string>> = {
  branch_name: ({ branch }) => branch,
  files_count: ({ paths }) => String(paths.length),
  file_path: ({ paths }) => paths.join(', '),
  file_paths: ({ paths }) => paths.join(', '),
  project_name: ({ project }) => project.name,
  project_path: ({ project }) => project.full_path,
  suggestions_count: ({ count }) => String(count),
  user_full_name: ({ user }) => user.name,
  username: ({ user }) => user.username,
  co_authored_by: ({ others }) => trailers('Co-authored-by', others),
}

/** The message that a template gives. */
export const suggestionMessage = (template: string, context: SuggestionContext): string =>
  filled(template, (name) => variables[name]?.(context))
