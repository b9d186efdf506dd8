import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const api = process.env.API_URL ?? 'http://localhost:3001'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: { outDir: 'dist', emptyOutDir: true, sourcemap: true },
  server: {
    // The sources have a folder of the server's name: what ends in .ts is ours, all else is the server's.
    proxy: { '^/api/(?!.+\\.tsx?(\\?|$))': api, '/__clerk': api, '/healthz': api },
  },
})
