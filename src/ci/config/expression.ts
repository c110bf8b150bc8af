import { patternOf } from './patterns.ts'

/** A part of an expression, as `rules:if` and `only:variables` have them. */
export type Expression =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'pattern'; readonly text: string }
  | { readonly kind: 'null' }
  | {
      readonly kind: 'operation'
      readonly operator: Operator
      readonly left: Expression
      readonly right: Expression
    }
type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||'

interface Token {
  readonly kind: 'operator' | 'open' | 'close' | 'value'
  readonly text: string
  readonly value?: Expression
}

const MOST_CHARACTERS = 10_000
const MOST_LEVELS = 50
const STRENGTH: Record<Operator, number> = { '||': 1, '&&': 2, '==': 3, '!=': 3, '=~': 3, '!~': 3 }
const isOperator = (text: string): text is Operator => Object.hasOwn(STRENGTH, text)

const TOKEN =
  /\s*(?:(?<variable>\$[a-zA-Z_]\w*)|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<pattern>\/(?:[^/\\]|\\.)+\/[ismU]*)|(?<nothing>null\b)|(?<operator>==|!=|=~|!~|&&|\|\|)|(?<open>\()|(?<close>\)))\s*/suy

/** Parses an expression; undefined if it is none. */
export function parseExpression(text: string): Expression | undefined {
  if (text.length > MOST_CHARACTERS) return undefined
  const tokens = tokensOf(text)
  if (tokens === undefined || tokens.length === 0) return undefined
  const parser = new Parser(tokens)
  const whole = parser.operation(1, 0)
  return parser.isDone() ? whole : undefined
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)?.groups
    if (found === undefined) return undefined
    tokens.push(tokenOf(found))
  }
  return tokens
}

function tokenOf(found: Record<string, string | undefined>): Token {
  const { variable, double, single, pattern, operator, open, close } = found
  const value = (held: Expression): Token => ({ kind: 'value', text: '', value: held })
  if (variable !== undefined) return value({ kind: 'variable', name: variable.slice(1) })
  const quoted = double ?? single
  if (quoted !== undefined) return value({ kind: 'text', text: quoted })
  if (pattern !== undefined) return value({ kind: 'pattern', text: pattern })
  if (operator !== undefined) return { kind: 'operator', text: operator }
  if (open !== undefined) return { kind: 'open', text: open }
  return close === undefined ? value({ kind: 'null' }) : { kind: 'close', text: close }
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  isDone = (): boolean => this.#at === this.#tokens.length

  operation(strength: number, level: number): Expression | undefined {
    let left = this.#operand(level)
    while (left !== undefined) {
      const operator = this.#tokens[this.#at]?.text ?? ''
      if (!isOperator(operator) || STRENGTH[operator] < strength) return left
      this.#at += 1
      const right = this.operation(STRENGTH[operator] + 1, level)
      if (right === undefined || !fits(operator, right)) return undefined
      left = { kind: 'operation', operator, left, right }
    }
    return undefined
  }

  #operand(level: number): Expression | undefined {
    const token = this.#tokens[this.#at]
    this.#at += 1
    if (token?.kind === 'value') return token.value
    if (token?.kind !== 'open' || level >= MOST_LEVELS) return undefined
    const inner = this.operation(1, level + 1)
    const closing = this.#tokens[this.#at]
    this.#at += 1
    return closing?.kind === 'close' ? inner : undefined
  }
}

/** Only a pattern, or a variable that holds one, can be matched. */
const fits = (operator: Operator, right: Expression): boolean =>
  operator === '=~' || operator === '!~'
    ? right.kind === 'variable' || (right.kind === 'pattern' && patternOf(right.text) !== undefined)
    : right.kind !== 'pattern'

/** The text of a variable, or undefined. */
export type ValueOf = (name: string) => string | undefined

/** Whether an expression holds. */
export function holds(expression: Expression, valueOf: ValueOf): boolean {
  const value = evaluate(expression, valueOf)
  return typeof value === 'boolean' ? value : value !== undefined && value !== ''
}

function evaluate(expression: Expression, valueOf: ValueOf): string | boolean | undefined {
  switch (expression.kind) {
    case 'variable':
      return valueOf(expression.name)
    case 'text':
    case 'pattern':
      return expression.text
    case 'null':
      return undefined
    case 'operation':
      return operate(expression.operator, expression.left, expression.right, valueOf)
  }
}

function operate(operator: Operator, left: Expression, right: Expression, valueOf: ValueOf): boolean {
  if (operator === '&&') return holds(left, valueOf) && holds(right, valueOf)
  if (operator === '||') return holds(left, valueOf) || holds(right, valueOf)
  const first = evaluate(left, valueOf)
  const second = evaluate(right, valueOf)
  if (operator === '==') return first === second
  if (operator === '!=') return first !== second
  const matches = typeof first === 'string' && typeof second === 'string' && finds(second, first)
  return operator === '=~' ? matches : !matches
}

/** A variable that holds no pattern is looked for as it is written. */
const finds = (pattern: string, text: string): boolean =>
  patternOf(pattern)?.finds(text) ?? text.includes(pattern)
