/** A response with an ETag: a caller that presents the same ETag already has this response. */
export class Tagged<Body> {
  readonly body: Body
  readonly etag: string

  /** Weak, because responses with the same tag agree in what matters but not in every byte. */
  constructor(body: Body, tag: string) {
    this.body = body
    this.etag = `W/"${tag}"`
  }
}

/**
 * Whether If-None-Match names the ETag (RFC 9110, section 13.1.2). Unlike the usual helpers this does not let
 * `Cache-Control: no-cache` overrule it: fetch adds that header to every call with an If-None-Match of its
 * own.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || plain(tag) === plain(etag))
}
