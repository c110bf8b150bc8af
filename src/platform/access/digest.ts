import { hash } from 'node:crypto'

/** SHA-256 of a secret. Tokens carry more than 112 bits, so a slow hash would add nothing. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
