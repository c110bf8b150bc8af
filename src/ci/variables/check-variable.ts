import { invalid } from '#platform/refusals.ts'

/** What of a variable has rules. */
export interface Checked {
  readonly key: string
  /** As it was given; undefined where it stays and is not known. */
  readonly value: string | undefined
  readonly masked: boolean
  readonly raw: boolean
  readonly environment_scope: string
}

const KEY = /^\w+$/
const MASKED = /^[\w+=/@:.~-]{8,}$/
const MASKED_RAW = /^\S{8,}$/
const SCOPE = /^[\w\-/.*${} ]+$/

/**
 * Refuses a variable that jobs could not use, or whose value could not be masked in logs.
 * @throws 400 with what is wrong with each attribute
 */
export function checkVariable({ key, value, masked, raw, environment_scope }: Checked): void {
  const problems: Record<string, string[]> = {}
  if (!KEY.test(key)) problems['key'] = ["can contain only letters, digits and '_'."]
  const mask = raw ? MASKED_RAW : MASKED
  if (masked && value !== undefined && !mask.test(value)) problems['value'] = ['is invalid']
  if (!SCOPE.test(environment_scope))
    problems['environment_scope'] = [
      "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*', and spaces",
    ]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}
