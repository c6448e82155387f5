#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Numbers { uint numbers[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    numbers[i] = 2 * numbers[i] + i;
}
