// The scenes: each prepares what it needs once, and then draws frames to the default framebuffer.
#ifndef SCENES_H
#define SCENES_H

// shapes.c
void prepare_triangle(void), draw_triangle(void);
void prepare_cubes(void), draw_cubes(void);
void prepare_primitives(void), draw_primitives(void);
void prepare_blending(void), draw_blending(void);
void prepare_stencil(void), draw_stencil(void);

// textures.c
void prepare_quad(void), draw_quad(void);
void prepare_mipmap(void), draw_mipmap(void);
void prepare_cube_map(void), draw_cube_map(void);
void prepare_s3tc(void), draw_s3tc(void);
void prepare_formats(void), draw_formats(void);

// programs.c
void prepare_lit(void), draw_lit(void);
void prepare_loops(void), draw_loops(void);
void prepare_uniforms(void), draw_uniforms(void);
void prepare_kill(void), draw_kill(void);
void prepare_fixed_function(void), draw_fixed_function(void);

// targets.c
void prepare_framebuffers(void), draw_framebuffers(void);
void prepare_several_targets(void), draw_several_targets(void);
void prepare_shadow(void), draw_shadow(void);
void prepare_multisampling(void), draw_multisampling(void);

// newer_vertices.c
void prepare_instancing(void), draw_instancing(void);
void prepare_tessellation(void), draw_tessellation(void);
void prepare_feedback(void), draw_feedback(void);

// newer_programs.c
void prepare_compute(void), draw_compute(void);
void prepare_integers(void), draw_integers(void);
void prepare_dynamic(void), draw_dynamic(void);

#endif
