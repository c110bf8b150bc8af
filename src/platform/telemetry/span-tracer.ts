import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span as RecordedSpan,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer as Recorder,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import type { Attributes, Span, Tracer, Work } from './tracer.ts'

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

/** The work that a piece of code is a part of. */
interface Current {
  readonly context: Context
  statements: number
  milliseconds: number
}

/** Makes spans of OpenTelemetry, and counts the statements of each. */
export class SpanTracer implements Tracer {
  readonly #recorder: Recorder
  readonly #current = new AsyncLocalStorage<Current>()
  readonly #callers = new W3CTraceContextPropagator()

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  begin({ name, kind, attributes, caller }: Work): Span {
    const parent =
      caller === undefined
        ? (this.#current.getStore()?.context ?? ROOT_CONTEXT)
        : this.#callers.extract(ROOT_CONTEXT, caller, defaultTextMapGetter)
    const span = this.#recorder.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, parent)
    const own: Current = { context: trace.setSpan(parent, span), statements: 0, milliseconds: 0 }
    return {
      set: (more: Attributes) => void span.setAttributes({ ...more }),
      within: (run) => this.#current.run(own, run),
      end: (failure) => end(span, own, failure),
    }
  }

  countStatement(): () => void {
    const current = this.#current.getStore()
    if (current === undefined) return () => {}
    current.statements += 1
    const began = performance.now()
    return () => void (current.milliseconds += performance.now() - began)
  }
}

function end(span: RecordedSpan, { statements, milliseconds }: Current, failure: string | undefined): void {
  if (statements > 0) {
    span.setAttributes({
      'forgelet.db.statements': statements,
      // Together, although some run at the same time.
      'forgelet.db.milliseconds': Math.round(milliseconds * 10) / 10,
    })
  }
  if (failure !== undefined) {
    span.setAttribute('error.type', failure)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}
