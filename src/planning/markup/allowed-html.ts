import type { Attributes, IOptions, Tag } from 'sanitize-html'
import { type FilePlace, fileAddress } from './file-addresses.ts'
import { expandUpload } from '#planning/uploads/addresses.ts'

/** What ids of headings begin with, so that no text can take the id of something on the page around it. */
export const ID_PREFIX = 'user-content-'

/** Elements inside one another. A browser would cope with some hundreds; nobody writes more than a dozen. */
const MAX_DEPTH = 100

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

/** Where things are that a text names by a part of their addresses. */
export interface Named {
  /** Its uploads: `uploadsOfPlace`. */
  readonly uploads?: string | undefined
  /** Files beside it, if it is one. */
  readonly file?: FilePlace | undefined
}

/**
 * What may stay of the HTML of a text, written by its author or made of Markdown: no scripts, no styles, no forms, and no addresses
 * but those of a few schemes. Classes and ids are those that rendering itself gives.
 */
export function allowedHtml(defaults: IOptions, named: Named = {}): IOptions {
  const { allowedTags, allowedAttributes } = defaults
  const tags = Array.isArray(allowedTags) ? allowedTags : []
  return {
    allowedTags: [...tags, 'img', 'del', 'ins', 'details', 'summary', 'input'],
    allowedAttributes: {
      ...allowedAttributes,
      ...Object.fromEntries(HEADINGS.map((tag) => [tag, ['id']])),
      ...Object.fromEntries(['th', 'td'].map((tag) => [tag, ['align', 'colspan', 'rowspan']])),
      a: ['href', 'title', 'name', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height'],
      input: ['type', 'disabled', 'checked', 'aria-label'],
    },
    allowedClasses: {
      code: ['language-*'],
      ul: ['task-list'],
      ol: ['task-list'],
      li: ['task-list-item'],
      input: ['task-list-item-checkbox'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'ftp', 'tel'],
    allowProtocolRelative: false,
    nestingLimit: MAX_DEPTH,
    // Of fields, only the boxes of task lists may stay.
    exclusiveFilter: ({ tag, attribs }) => tag === 'input' && attribs['type'] !== 'checkbox',
    transformTags: {
      a: (tagName, attribs) => asLink(tagName, withAddress(attribs, 'href', named)),
      img: (tagName, attribs) => ({ tagName, attribs: withAddress(attribs, 'src', named) }),
      input: asCheckbox,
      th: withAlignment,
      td: withAlignment,
      ...Object.fromEntries(HEADINGS.map((tag) => [tag, withOwnId])),
    },
  }
}

/** The same with the whole address, where an attribute names an upload or a file as texts do. */
function withAddress(attribs: Attributes, name: 'href' | 'src', { uploads, file }: Named): Attributes {
  const written = attribs[name]
  if (written === undefined) return attribs
  const address = uploads === undefined ? written : expandUpload(written, uploads)
  if (file === undefined || address !== written) return { ...attribs, [name]: address }
  return { ...attribs, [name]: fileAddress(written, name === 'src' ? file.raw : file.pages, file) }
}

/** Texts are written by many people, and search engines should not reward what they link to. */
const asLink = (tagName: string, attribs: Attributes): Tag => ({
  tagName,
  attribs: 'href' in attribs ? { ...attribs, rel: 'nofollow noreferrer noopener' } : attribs,
})

/** Nobody can tick a box. */
function asCheckbox(tagName: string, { type = '', checked }: Attributes): Tag {
  if (type.toLowerCase() !== 'checkbox') return { tagName, attribs: {} }
  const done = checked !== undefined
  return {
    tagName,
    attribs: {
      type: 'checkbox',
      class: 'task-list-item-checkbox',
      'aria-label': done ? 'Done' : 'To do',
      disabled: '',
      ...(done && { checked: '' }),
    },
  }
}

/** Columns of Markdown tables say their alignment in a style, which may not stay. */
function withAlignment(tagName: string, { style, ...attribs }: Attributes): Tag {
  const align = /^text-align:(left|center|right)$/.exec(style ?? '')?.[1]
  return { tagName, attribs: align === undefined ? attribs : { ...attribs, align } }
}

function withOwnId(tagName: string, { id, ...attribs }: Attributes): Tag {
  if (id === undefined || id === '') return { tagName, attribs }
  return { tagName, attribs: { ...attribs, id: id.startsWith(ID_PREFIX) ? id : `${ID_PREFIX}${id}` } }
}
