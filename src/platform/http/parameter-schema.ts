import type { Rules } from './schema.ts'

/** The parts of JSON Schema that the constructors of schema.ts produce. bounds.ts refuses others at the start. */
export interface ParameterSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | number | null)[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly maxItems?: number
  readonly maxProperties?: number
  /** Limits the keys of a record with arbitrary keys. */
  readonly propertyNames?: { readonly maxLength?: number }
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly items?: ParameterSchema
  readonly properties?: Readonly<Record<string, ParameterSchema>>
  readonly patternProperties?: Readonly<Record<string, ParameterSchema>>
  readonly required?: readonly string[]
  readonly 'x-comma'?: boolean
  readonly 'x-words'?: readonly string[]
  /** Whether null should not be sent any more. */
  readonly 'x-old-null'?: boolean
  readonly 'x-after'?: string
  /** Whether no log may show it. */
  readonly 'x-secret'?: boolean
  /** Whether the case of its words does not matter. */
  readonly 'x-any-case'?: boolean
  readonly 'x-rules'?: Rules
}

/** What is wrong with one parameter. */
export interface Problem {
  readonly name: string
  /** Completes the sentence that starts with the name: `is missing`. */
  readonly text: string
  readonly missing: boolean
}
