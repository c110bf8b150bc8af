import type { RouteAccess } from '#platform/access/route-access.ts'
import type { Answers, Reference } from './answers.ts'
import type { Parameter, RequestBody } from './parameters.ts'

/** One endpoint in the document. The `x-` fields say what OpenAPI cannot express. */
export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string | undefined
  readonly deprecated?: true | undefined
  readonly parameters?: readonly Parameter[] | undefined
  readonly requestBody?: RequestBody | undefined
  readonly responses: Answers
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[] | undefined
  /** The token needs one of these scopes. */
  readonly 'x-scopes'?: readonly string[] | undefined
  /** What the ability is about: a project, a group, or for administrators the instance. */
  readonly 'x-subject'?: 'project' | 'group' | 'instance' | undefined
  readonly 'x-ability'?: string | undefined
  readonly 'x-tier'?: RouteAccess['tier']
  /** Where this feature flag is off, the endpoint does not exist. */
  readonly 'x-feature-flag'?: RouteAccess['featureFlag']
  readonly 'x-beta'?: true | undefined
}

/** An operation whose parameters, body and answers may be references to components. */
export type SharingOperation = Omit<Operation, 'parameters' | 'requestBody'> & {
  readonly parameters?: readonly (Parameter | Reference)[] | undefined
  readonly requestBody?: RequestBody | Reference | undefined
}
