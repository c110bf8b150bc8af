import type { JobEnvironment, Trigger } from './configuration.ts'
import type { CrossNeed } from './needs.ts'
import type { AllowFailure, When } from './rules.ts'
import type { Json } from './values.ts'

/** A job that has to end first. */
export interface NeededJob {
  readonly job: string
  readonly artifacts: boolean
  readonly optional: boolean
}

export interface ChosenVariable {
  readonly key: string
  readonly value: string
  readonly raw: boolean
}

/** A job of one pipeline. */
export interface ChosenJob {
  readonly name: string
  /** The name in the file, of which `parallel` may have made several jobs. */
  readonly base: string
  readonly stage: string
  readonly stageIndex: number
  readonly when: Exclude<When, 'never'>
  readonly startIn: number | undefined
  readonly allowFailure: AllowFailure
  readonly variables: readonly ChosenVariable[]
  /** Undefined: the job waits for the stages before its own. */
  readonly needs: readonly NeededJob[] | undefined
  readonly crossNeeds: readonly CrossNeed[]
  readonly dependencies: readonly string[] | undefined
  readonly copy: { readonly index: number; readonly total: number } | undefined
  readonly trigger: Trigger | undefined
  readonly environment: JobEnvironment | undefined
  readonly interruptible: boolean | undefined
  readonly resourceGroup: string | undefined
  readonly coverage: string | undefined
  readonly timeout: number | undefined
  readonly tags: readonly string[]
  readonly options: { readonly [keyword: string]: Json }
}
