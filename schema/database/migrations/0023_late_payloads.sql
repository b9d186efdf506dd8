-- What comes about a person who was forgotten is looked for by this.
CREATE INDEX users_forgotten ON users (forgotten_at) WHERE forgotten_at IS NOT NULL;
