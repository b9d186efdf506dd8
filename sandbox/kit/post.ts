export type PostResult = { ok: boolean; status: number | null; error: string | null }

type Post = {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal: AbortSignal
}

/** One POST without redirects; anything but 2xx is a failure. Never throws. */
export async function post({ url, headers, body, timeoutMs, signal }: Post): Promise<PostResult> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers,
      body,
    })
    // The connection goes back to the pool only when the answer has been read.
    await response.arrayBuffer()
    return { ok: response.ok, status: response.status, error: response.ok ? null : `HTTP ${response.status}` }
  } catch (error) {
    return { ok: false, status: null, error: reasonOf(error) }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message
}
